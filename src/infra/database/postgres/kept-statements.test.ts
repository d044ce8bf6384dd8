import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase, onPostgres } from '../../../testing/database.ts'
import { planComment } from '../portable.ts'

test.runIf(onPostgres)(
  'a connection keeps short statements only, and none that is planned for its values',
  async () => {
    await using database = await freshDatabase()
    const kept = await database.write(async (tx) => {
      const run = (text: string) => sql<{ n: number }>`select ${1}::int as n ${sql.raw(text)}`.execute(tx)
      const long = `/* long ${'x'.repeat(2_000)} */`
      expect((await run('/* short */')).rows).toEqual([{ n: 1 }])
      expect((await run(long)).rows).toEqual([{ n: 1 }])
      expect((await run(planComment)).rows).toEqual([{ n: 1 }])
      const statements = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx)
      return statements.rows.map(({ statement }) => statement)
    })
    expect(kept.filter((text) => text.includes('/* short */'))).toHaveLength(1)
    expect(kept.filter((text) => text.includes('/* long') || text.includes(planComment))).toEqual([])
  },
)

test.runIf(onPostgres)('a kept statement is prepared anew when a newer release has added a column', async () => {
  await using database = await freshDatabase()
  const outside = () => sql`select * from topics`.execute(database.read as never)
  const inWrite = () => database.write((tx) => sql`select * from labels`.execute(tx))
  const inSnapshot = () => database.snapshot((reader) => sql`select * from milestones`.execute(reader as never))
  const all = [outside, inWrite, inSnapshot]
  // Several connections keep each of them.
  await Promise.all(all.flatMap((one) => [one(), one(), one()]))
  for (const table of ['topics', 'labels', 'milestones']) {
    await database.write((tx) => sql`alter table ${sql.table(table)} add column later text`.execute(tx))
  }
  const answers = await Promise.all(all.flatMap((one) => [one(), one(), one()]))
  expect(answers.map(({ rows }) => rows)).toEqual(answers.map(() => []))
})
