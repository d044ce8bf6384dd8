/** Regular expressions of users: RE2, which matches in linear time. */
export { compileRegex, quoteRegex, type Regex } from './regex.ts'
