/** References such as `$NAME` in texts. */
export { expandText, expandVariables } from './expansion.ts'
