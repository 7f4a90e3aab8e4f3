/* arrow_field: columns of the Arrow C Data Interface as fields. */
#ifndef FASTIO__ARROW_FIELD_H
#define FASTIO__ARROW_FIELD_H

#include "field.h"

/* What a column's schema says of its field (and of the one that a dictionary is), to be completed by each array.
 * FASTIO_UNSUPPORTED: a type that has no text. */
FASTIO__HIDDEN fastio_status fastio__arrow_type(const struct ArrowSchema *schema, fastio__field *field,
                                                fastio__field *dictionary, fastio_error *err);
/* Completes a field of rows 0 to `rows` - 1 of a struct by its child's array. FASTIO_INVALID_ARGUMENT: the array is not
 * what the schema says. */
FASTIO__HIDDEN fastio_status fastio__arrow_bind(const struct ArrowArray *parent, const struct ArrowArray *array,
                                                fastio__field *field, fastio__field *dictionary, fastio_error *err);

#endif
