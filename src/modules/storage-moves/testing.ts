import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { now } from '../../infra/database/index.ts'
import type { Repository } from '../../infra/git/index.ts'
import { startTestServer, temporaryDirectory } from '../../testing/index.ts'
import { handsOn } from '../projects/testing.ts'

/** Time for moves with git, on a loaded machine. */
const patiently = { interval: 25 }

/** Starts a server with the storages `default` and `storage2`. */
export async function startWithTwoStorages() {
  const folder = await temporaryDirectory()
  const storages = ['default', 'storage2'].map((name) => `${name}=${join(folder.path, name)}`).join(',')
  for (const name of ['default', 'storage2']) await mkdir(join(folder.path, name))
  const server = await startTestServer({ sshPort: 0, settings: { FENNEC_STORAGES: storages } })
  const hands = handsOn(server)
  const { database, clock } = server.app.platform

  /** The repository of a container as its rows say: the code of a project, the wiki of a group, the files of a snippet. */
  async function rowOf(column: 'project_id' | 'snippet_id' | 'namespace_id', id: number) {
    const query = database.read.selectFrom('repositories').selectAll().where(column, '=', id)
    return query.orderBy('id').executeTakeFirstOrThrow()
  }

  return {
    server,
    hands,
    rowOf,

    /** The repository at the place of a row, in a storage. */
    at: (storage: string, row: { disk_path: string }): Repository => hands.at({ storage, disk_path: row.disk_path }),

    /** Waits until a move is in a state that it does not leave. @returns that state */
    async ended(path: string): Promise<string> {
      const state = async () => (await server.root.get(path)).body.state as string
      await expect.poll(state, patiently).toMatch(/finished|failed/)
      return state()
    },

    /** Makes a change of refs seem to be under way, for which a move waits. @returns the function that ends it */
    async holdOpen(repositoryId: number) {
      const intent = { repository_id: repositoryId, user_id: null, updates: '[]', created_at: now(clock) }
      const { id } = await database.write((tx) =>
        tx.insertInto('ref_intents').values(intent).returning('id').executeTakeFirstOrThrow(),
      )
      return () => database.write((tx) => tx.deleteFrom('ref_intents').where('id', '=', id).execute())
    },

    async stop() {
      await server.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export type TwoStorages = Awaited<ReturnType<typeof startWithTwoStorages>>
