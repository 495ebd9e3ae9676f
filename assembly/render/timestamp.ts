import { putDigits } from './text';

const MS_PER_DAY: u64 = 86400000;

/** Writes `2026-01-31T12:34:56.789Z` for a time before the year 10,000. */
export function putTimestamp(out: usize, timestampMs: u64): usize {
  out = putDate(out, <u32>(timestampMs / MS_PER_DAY));
  const ms = <u32>(timestampMs % MS_PER_DAY);
  store<u8>(out, 0x54); // T
  out = putDigits(out + 1, ms / 3600000, 2);
  store<u8>(out, 0x3a); // :
  out = putDigits(out + 1, (ms / 60000) % 60, 2);
  store<u8>(out, 0x3a);
  out = putDigits(out + 1, (ms / 1000) % 60, 2);
  store<u8>(out, 0x2e); // .
  out = putDigits(out + 1, ms % 1000, 3);
  store<u8>(out, 0x5a); // Z
  return out + 1;
}

/**
 * Days since 1970-01-01 as a Gregorian date. Years are counted from March, so that the leap day is the
 * last of its year, in eras of 400 years (146,097 days) from 0000-03-01, 719,468 days before 1970.
 */
function putDate(out: usize, daysSince1970: u32): usize {
  const days = daysSince1970 + 719468;
  const era = days / 146097;
  const dayOfEra = days % 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  out = putDigits(out, year, 4);
  store<u8>(out, 0x2d); // -
  out = putDigits(out + 1, month, 2);
  store<u8>(out, 0x2d);
  return putDigits(out + 1, day, 2);
}
