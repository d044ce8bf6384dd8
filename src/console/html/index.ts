export { type Child, Html, trusted } from './safe.ts'
