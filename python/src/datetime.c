/* Dates and times as objects of Python's datetime. */
#include "py.h"

#include <datetime.h>

/* Kept per module, not in the header's global: each interpreter has its own. */
static PyDateTime_CAPI *interface(State *state) {
  (void)PyDateTimeAPI;
  if (state->datetime == NULL) state->datetime = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
  return state->datetime;
}

typedef struct Day {
  int year, month, day;
} Day;

/* The civil date of a day counted from 1970-01-01, for years from 1 on. Years begin in March, so that the day that leap
 * years add is their last one; 400 years have 146097 days, and the days before month m are (153 m + 2) / 5. */
static Day day_of(int64_t days) {
  int64_t shifted = days + 719468; /* from 0000-03-01 */
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int of_era = (int)(shifted - era * 146097);
  int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int of_year = of_era - (365 * year + year / 4 - year / 100);
  int month = (5 * of_year + 2) / 153;
  Day day = {year + (int)era * 400 + (month >= 10), month < 10 ? month + 3 : month - 9,
             of_year - (153 * month + 2) / 5 + 1};
  return day;
}

typedef struct Clock {
  int hour, minute, second, microsecond;
} Clock;

#define NANOSECONDS_A_DAY INT64_C(86400000000000)

static int clock_of(int64_t nanoseconds, Clock *out) {
  if (nanoseconds % 1000 != 0) {
    PyErr_Format(PyExc_ValueError,
                 "datetime has microseconds, but this value has %d ns more: to_numpy() and Arrow are exact",
                 (int)(nanoseconds % 1000));
    return -1;
  }
  int64_t microseconds = nanoseconds / 1000;
  int seconds = (int)(microseconds / 1000000);
  *out = (Clock){seconds / 3600, seconds / 60 % 60, seconds % 60, (int)(microseconds % 1000000)};
  return 0;
}

PyObject *new_date(State *state, int32_t days) {
  PyDateTime_CAPI *datetime = interface(state);
  if (datetime == NULL) return NULL;
  Day day = day_of(days);
  return datetime->Date_FromDate(day.year, day.month, day.day, datetime->DateType);
}

PyObject *new_time(State *state, int64_t nanoseconds) {
  PyDateTime_CAPI *datetime = interface(state);
  Clock clock;
  if (datetime == NULL || clock_of(nanoseconds, &clock) < 0) return NULL;
  return datetime->Time_FromTime(clock.hour, clock.minute, clock.second, clock.microsecond, Py_None,
                                 datetime->TimeType);
}

PyObject *new_timestamp(State *state, int64_t nanoseconds, int is_utc) {
  PyDateTime_CAPI *datetime = interface(state);
  int64_t of_day = nanoseconds % NANOSECONDS_A_DAY;
  if (of_day < 0) of_day += NANOSECONDS_A_DAY;
  Clock clock;
  if (datetime == NULL || clock_of(of_day, &clock) < 0) return NULL;
  /* Not nanoseconds - of_day, which can be less than 64 bits hold. */
  Day day = day_of(nanoseconds / NANOSECONDS_A_DAY - (nanoseconds % NANOSECONDS_A_DAY < 0));
  return datetime->DateTime_FromDateAndTime(day.year, day.month, day.day, clock.hour, clock.minute, clock.second,
                                            clock.microsecond, is_utc ? datetime->TimeZone_UTC : Py_None,
                                            datetime->DateTimeType);
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

/* Days from 1970-01-01 to a civil date: the inverse of day_of. */
static int64_t days_of(int year, int month, int day) {
  int shifted = month > 2 ? year : year - 1, era = shifted / 400, of_era = shifted - era * 400;
  int of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int64_t nanoseconds_of(int hour, int minute, int second, int microsecond) {
  return ((hour * 60 + minute) * INT64_C(60) + second) * 1000000000 + microsecond * INT64_C(1000);
}

/* What the zone is ahead of UTC, in nanoseconds: 1, 0 if there is none, -1 with an exception. */
static int utc_offset(PyObject *value, int64_t *out) {
  PyObject *delta = PyObject_CallMethod(value, "utcoffset", NULL);
  if (delta == NULL) return -1;
  int has_zone = delta != Py_None;
  if (has_zone) {
    int64_t seconds = PyDateTime_DELTA_GET_DAYS(delta) * INT64_C(86400) + PyDateTime_DELTA_GET_SECONDS(delta);
    *out = seconds * 1000000000 + PyDateTime_DELTA_GET_MICROSECONDS(delta) * INT64_C(1000);
  }
  Py_DECREF(delta);
  return has_zone;
}

/* In range, with a day to spare for zones: years of 64-bit nanoseconds. */
static int is_in_range(int year) { return year > 1677 && year < 2262; }

static int timestamp_of(PyObject *value, fastio_type *type, int64_t *out) {
  int64_t offset = 0;
  int year = PyDateTime_GET_YEAR(value), has_zone = utc_offset(value, &offset);
  if (has_zone < 0) return -1;
  if (!is_in_range(year)) return 0;
  int64_t days = days_of(year, PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value));
  *type = has_zone ? FASTIO_TIMESTAMP_UTC : FASTIO_TIMESTAMP;
  *out = days * NANOSECONDS_A_DAY - offset +
         nanoseconds_of(PyDateTime_DATE_GET_HOUR(value), PyDateTime_DATE_GET_MINUTE(value),
                        PyDateTime_DATE_GET_SECOND(value), PyDateTime_DATE_GET_MICROSECOND(value));
  return 0;
}

int temporal_from_object(State *state, PyObject *value, fastio_type *type, int64_t *out) {
  PyDateTime_CAPI *datetime = interface(state);
  PyTypeObject *class = Py_TYPE(value);
  if (datetime == NULL) return -1;
  if (class == datetime->DateTimeType) return timestamp_of(value, type, out);
  if (class == datetime->DateType) {
    *type = FASTIO_DATE;
    *out = days_of(PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value));
  } else if (class == datetime->TimeType && !((PyDateTime_Time *)value)->hastzinfo) {
    *type = FASTIO_TIME;
    *out = nanoseconds_of(PyDateTime_TIME_GET_HOUR(value), PyDateTime_TIME_GET_MINUTE(value),
                          PyDateTime_TIME_GET_SECOND(value), PyDateTime_TIME_GET_MICROSECOND(value));
  }
  return 0;
}

int is_date_or_time(State *state, PyObject *value) {
  PyDateTime_CAPI *datetime = interface(state);
  if (datetime == NULL) return -1;
  return PyObject_TypeCheck(value, datetime->DateType) || PyObject_TypeCheck(value, datetime->TimeType);
}
