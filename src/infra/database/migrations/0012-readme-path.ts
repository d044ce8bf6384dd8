import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Where the readme of a project's default branch is, so that lists need not look into repositories (contract 21). */
export function up(_: Dialect) {
  return [sql`alter table projects add column readme_path text`]
}
