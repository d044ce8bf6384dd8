export { openSqlite } from './open.ts'
