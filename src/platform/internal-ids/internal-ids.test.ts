import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../infra/database/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { type InternalIdScope, nextInternalId, nextInternalIds } from './index.ts'

let server: TestServer
let database: Database
let project: { projectId: number }
let group: { namespaceId: number }

beforeAll(async () => {
  server = await startTestServer()
  database = server.app.platform.database
  const owner = await server.user('owner')
  project = { projectId: (await server.make.project('demo', owner)).id }
  group = { namespaceId: (await server.make.group('team', owner)).id }
})
afterAll(() => server.stop())

const next = (scope: InternalIdScope, kind: string) => database.write((tx) => nextInternalId(tx, scope, kind))

describe('internal ids', () => {
  test('are counted from 1 for each project, group and kind', async () => {
    for (const scope of [project, group]) {
      expect(await next(scope, 'issues')).toBe(1)
      expect(await next(scope, 'issues')).toBe(2)
      expect(await next(scope, 'milestones')).toBe(1)
    }
  })

  test('are given out in a row', async () => {
    for (const scope of [project, group]) {
      const several = (count: number) => database.write((tx) => nextInternalIds(tx, scope, 'rows', count))
      expect([await several(3), await next(scope, 'rows'), await several(2)]).toEqual([1, 4, 5])
    }
  })

  test('are given out once each to parallel transactions', async () => {
    for (const scope of [project, group]) {
      const given = await Promise.all(Array.from({ length: 25 }, () => next(scope, 'parallel')))
      expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    }
  })

  test('are free again after a rollback', async () => {
    const failing = database.write(async (tx) => {
      await nextInternalId(tx, project, 'rolled_back')
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await next(project, 'rolled_back')).toBe(1)
  })
})
