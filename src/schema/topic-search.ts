import { type Dialect, textIndex } from '../infra/database/index.ts'

/** The index of the names of topics, by which the list of topics finds parts of them (contract 21, x.topics_list). */
export function up(dialect: Dialect) {
  return textIndex(dialect, 'topics', ['name', 'title'])
}
