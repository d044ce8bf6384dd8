import type { Seeding } from '../seeding.ts'
import { focus, type Size } from './size.ts'

/** Rows of one table, as expressions over their number `i`, from 1. */
export type Rows = {
  table: string
  count: number
  columns: Readonly<Record<string, string>>
  /** Further tables, and conditions. */
  more?: string
}

/** What the descriptions of rows are made with. */
export type World = Pick<Seeding, 'at' | 'day' | 'hex' | 'json'> & { size: Size } & ReturnType<typeof focus> & {
    /** The project of a row: the focal one for every second, one of all for the others. */
    aProject: string
    /** The group of a row, likewise. */
    aGroup: string
    /** A user. */
    aUser: string
    /** `created_at` and `updated_at`. */
    times: { created_at: string; updated_at: string }
    /** `created_at`. */
    made: { created_at: string }
  }

export function worldOf({ at, day, hex, json }: Seeding, size: Size): World {
  const places = focus(size)
  const { project, group } = places
  return {
    ...{ at, day, hex, json, size },
    ...places,
    aProject: `case when i % 2 = 0 then ${project} else ${project} + i % ${size.projects} end`,
    aGroup: `case when i % 2 = 0 then ${group} else ${group} + i % ${size.groups} end`,
    aUser: `case when i % 4 = 0 then ${places.person} else ${places.person} + i % ${size.users} end`,
    times: { created_at: at('i'), updated_at: at(`(i * 7919) % ${size.items}`) },
    made: { created_at: at('i') },
  }
}

const pathStart = { project: '@hashed/aa/bb/aabb', snippet: '@hashed/cc/dd/ccdd' }

/** The path of the repository of row `i`. */
export function seededPath({ hex }: Pick<World, 'hex'>, kind: keyof typeof pathStart): string {
  return `'${pathStart[kind]}' || ${hex('i', 60)} || '.git'`
}

/** The path of the repository of the focal project, in the folder of the storage. */
export const focalRepository = `${pathStart.project}${'1'.padStart(60, '0')}.git`
