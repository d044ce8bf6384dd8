import { expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { temporaryDirectory } from '../../testing/index.ts'
import { firstBoot, rootPassword } from './first-boot.ts'

const text = 'glpat-a-root-token-for-years'

test('the configured token lives on from every start, unless it was revoked', async () => {
  await using database = await freshDatabase()
  await using folder = await temporaryDirectory()
  const needs = { database, dataFolder: folder.path, rootToken: text, projectsLimit: 10 }
  const password = rootPassword('korrekt-horse-9')
  const start = (day: string) =>
    firstBoot({ ...needs, rootPassword: password, clock: manualClock({ start: `${day}T01:02:03.000Z` }) })
  const tokens = () =>
    database.read
      .selectFrom('access_tokens')
      .select(['user_id', 'name', 'digest', 'expires_at', 'revoked', 'created_at'])
      .execute()
  const made = { user_id: 1, name: 'default', digest: hashToken(text), created_at: '2026-03-04T01:02:03.000Z' }

  expect(await start('2026-03-04')).toMatchObject({ isFirst: true, token: text })
  expect(await tokens()).toEqual([{ ...made, revoked: false, expires_at: '2027-03-04' }])
  expect(await start('2028-01-01')).toMatchObject({ isFirst: false, token: undefined })
  expect(await tokens()).toEqual([{ ...made, revoked: false, expires_at: '2028-12-31' }])

  await database.write((tx) => tx.updateTable('access_tokens').set({ revoked: true }).execute())
  await start('2030-01-01')
  expect(await tokens()).toEqual([{ ...made, revoked: true, expires_at: '2028-12-31' }])
})
