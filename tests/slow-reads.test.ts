import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestServer } from '../src/testing/index.ts'

/** Takes long on any machine, and walks through rows that it makes itself. */
const counting = sql<{
  count: number
}>`with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500000)
  select count(*) as count from n`

test('a slow read does not hold up other requests', async () => {
  await using server = await startTestServer()
  const { read } = server.app.platform.database
  const count = () => read.executeQuery(counting.compile(read as never))
  // Its first run shows that it is slow.
  await count()
  const order: string[] = []
  const counted = count().then(({ rows }) => order.push(`counted ${rows[0]?.count}`))
  for (let call = 0; call < 3; call += 1) {
    const { status } = await server.root.get('/version')
    order.push(`version ${status}`)
  }
  await counted
  expect(order).toEqual(['version 200', 'version 200', 'version 200', 'counted 1500000'])
})
