import type { Seeding } from '../seeding.ts'
import { focus, type Size, sizes } from './size.ts'

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
    /** How much of all there is of the focal project, group and person: the size itself, but where the instance grew around them. */
    own: Size
    /** The project of a row: the focal one for every second of the first `count` rows, one of all for the others. */
    aProject(count: number): string
    /** The group of a row, likewise. */
    aGroup(count: number): string
    /** A user: the person for every fourth of the first `count` rows. */
    aUser(count: number): string
    /** `created_at` and `updated_at`. */
    times: { created_at: string; updated_at: string }
    /** `created_at`. */
    made: { created_at: string }
  }

export function worldOf({ at, day, hex, json }: Seeding, size: Size): World {
  const places = focus(size)
  const { project, group, person } = places
  const oneOf = (focal: number, among: number, step: number) => (count: number) =>
    `case when i % ${step} = 0 and i <= ${count} then ${focal} else ${focal} + i % ${among} end`
  return {
    ...{ at, day, hex, json, size },
    ...places,
    own: size.focusOf ? sizes[size.focusOf] : size,
    aProject: oneOf(project, size.projects, 2),
    aGroup: oneOf(group, size.groups, 2),
    aUser: oneOf(person, size.users, 4),
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
