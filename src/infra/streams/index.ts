/** Streams whose errors do not end the process. */
export { handled, through } from './streams.ts'
