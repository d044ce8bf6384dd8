import { readFileSync } from 'node:fs'
import { type Migration, statementsIn } from '../infra/database/index.ts'

/**
 * The statements of a released migration, which are in the files of its folder, one for each engine.
 * They are no longer derived from the tables: these go on describing the present (decision 0026).
 * @param name the folder
 */
export function frozen(name: string): Migration['up'] {
  return ({ engine }) => statementsIn(readFileSync(new URL(`./${name}/${engine}.sql`, import.meta.url), 'utf8'))
}
