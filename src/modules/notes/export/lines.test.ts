import { expect, test } from 'vitest'
import { startTestServer } from '../../../testing/index.ts'
import { columnsOf } from '../noteable.ts'
import { dividedByNotes } from './lines.ts'

test('noteables are divided so that their notes can be held in memory', async () => {
  await using server = await startTestServer()
  const { database } = server.app.platform
  const owner = await server.user('owner')
  const { id: projectId } = await server.make.project('noted', owner)
  const at = '2026-03-01T12:00:00.000Z'
  const moments = { created_at: at, updated_at: at }
  const addNotes = (id: number, count: number) =>
    database.write(async (tx) => {
      const columns = columnsOf({ type: 'Issue', projectId, id, commitId: null })
      const discussion = { ...columns, public_id: `${id}`.padStart(40, '0'), individual_note: true, created_at: at }
      const { id: discussion_id } = await tx
        .insertInto('discussions')
        .values(discussion)
        .returning('id')
        .executeTakeFirstOrThrow()
      const row = { ...columns, ...moments, discussion_id, author_id: owner.id, body: 'x' }
      for (let left = count; left > 0; left -= 500) {
        const rows = Array.from({ length: Math.min(500, left) }, () => row)
        await tx.insertInto('notes').values(rows).execute()
      }
    })
  for (const [index, count] of [1200, 700, 200, 2500, 1].entries()) await addNotes(index + 1, count)
  const rows = [1, 2, 3, 4, 5, 6].map((id) => ({ id }))
  const parts = await Array.fromAsync(dividedByNotes(database.read, 'Issue', rows))
  expect(parts.map((part) => part.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5, 6]])
  expect(await Array.fromAsync(dividedByNotes(database.read, 'Issue', []))).toEqual([])
})
