import type { Car } from './read.ts'

/** What happens to a car, in words. */
export const carInWords: Readonly<Record<Car['status'], string>> = {
  idle: 'Waits for its test',
  fresh: 'Tested with those before it',
  stale: 'To be tested anew',
  merging: 'Being merged',
  merged: 'Merged by the train',
  skip_merged: 'Merged outside its turn',
}
