import { expect, test } from 'vitest'
import { memoryConfig, readConfig } from '../../../config.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { createSettings } from '../../../platform/settings/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { temporaryDirectory } from '../../../testing/index.ts'
import { rootAccount } from './first-boot.ts'

const text = 'glpat-a-root-token-for-years'

test('each start extends the configured token, unless it was revoked', async () => {
  await using database = await freshDatabase()
  await using folder = await temporaryDirectory()
  const config = { ...memoryConfig(readConfig({}), folder.path), rootToken: text }
  const password = rootAccount.rootPassword('korrekt-horse-9')
  const start = (day: string) => {
    const clock = manualClock({ start: `${day}T01:02:03.000Z` })
    return rootAccount.firstBoot({ database, config, clock, settings: createSettings({ database, clock }) }, password)
  }
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
