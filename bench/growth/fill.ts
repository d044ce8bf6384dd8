import type { Seeding } from '../seeding.ts'
import { contents } from './contents.ts'
import { delivery } from './delivery.ts'
import { countEverything, recordWithoutProjects, sumSizes } from './derived.ts'
import { people } from './people.ts'
import { places } from './places.ts'
import { planning } from './planning.ts'
import { type Rows, worldOf } from './rows.ts'
import type { Size } from './size.ts'

function insert(seeding: Seeding, { table, count, columns, more = '' }: Rows): string {
  const names = Object.keys(columns).join(', ')
  return `insert into ${table} (${names}) select ${Object.values(columns).join(', ')} from ${seeding.numbers(count)} ${more}`
}

/** Fills an instance that has nothing but what its first start makes. @param say is called with what was done */
export async function fillInstance(
  seeding: Seeding,
  size: Size,
  say: (text: string) => void = () => {},
): Promise<void> {
  const world = worldOf(seeding, size)
  const all = [places, people, planning, delivery, contents].flatMap((rowsOf) => rowsOf(world))
  await seeding.inBulk(async () => {
    for (const rows of all) {
      const started = performance.now()
      await seeding.run(insert(seeding, rows))
      await seeding.continueIds(rows.table)
      say(`${rows.table}: ${rows.count} rows, ${Math.round(performance.now() - started)} ms`)
    }
  })
  // With the indexes, which come back with the triggers.
  await seeding.run(
    [
      ...countEverything,
      'delete from project_sizes',
      sumSizes,
      'delete from users_perhaps_without_projects',
      recordWithoutProjects,
    ].join('; '),
  )
  await seeding.optimize()
}
