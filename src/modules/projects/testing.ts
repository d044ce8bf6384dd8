import { expect } from 'vitest'
import { diskPath, type Repository } from '../../infra/git/index.ts'
import { repositoryOfProject } from '../../platform/repositories/index.ts'
import {
  type Answer,
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import { projectById } from './core/store.ts'
import type { ProjectRow } from './tables.ts'

/** What tests of projects do with a server besides requests over HTTP. */
export function handsOn(server: TestServer) {
  const { database, jobs, git: storages } = server.app.platform

  /** The repository of a disk path, whether or not it exists. */
  function at({ storage, disk_path: text }: { storage: string; disk_path: string }): Repository {
    const path = diskPath(text)
    if (path === null) throw new Error(`invalid disk path: ${text}`)
    return storages.repository({ storage, diskPath: path })
  }

  async function repositoryRow(projectId: number) {
    const row = await repositoryOfProject(database.read, projectId)
    if (!row) throw new Error(`project ${projectId} has no repository`)
    return row
  }

  /** Address of a project's repository, with a person's token in it. */
  const address = (person: Person, path: string) => httpUrl(server, person, path)

  return {
    at,
    repositoryRow,
    address,
    row: (id: number) => projectById(database.read, id),

    /** Changes a row behind the server's back. */
    async change(id: number, changes: Partial<Omit<ProjectRow, 'id' | 'settings'>>) {
      await database.write((tx) => tx.updateTable('projects').set(changes).where('id', '=', id).execute())
    },

    /** Stores a job and waits until nothing is left to be done. */
    async run(kind: string, payload: unknown) {
      await database.write((tx) => jobs.enqueue(tx, kind, payload))
      await jobs.drain()
    },

    /** Pushes a history with these messages, to these refs, and waits for the jobs of the push. */
    async push(person: Person, path: string, messages: readonly string[], refspecs: readonly string[] = ['main']) {
      await using folder = await temporaryDirectory()
      await makeHistory(folder.path, messages)
      const outcome = await git(folder.path, 'push', address(person, path), ...refspecs)
      expect(outcome.stderr + outcome.code).toMatch(/0$/)
      await jobs.drain()
    },

    /** The outcome of a push of one commit. */
    async tryPush(person: Person, path: string) {
      await using folder = await temporaryDirectory()
      await makeHistory(folder.path, ['more'])
      return await git(folder.path, 'push', address(person, path), 'main:refs/heads/another')
    },

    /** The refs that a client sees. */
    async lsRemote(person: Person, path: string): Promise<string> {
      await using folder = await temporaryDirectory()
      return (await git(folder.path, 'ls-remote', address(person, path))).stdout
    },
  }
}

export type HandsOn = ReturnType<typeof handsOn>

/** A server where Alice has projects, and Bob a role only in those that are made with one for him. */
export async function startWithAliceAndBob() {
  const server = await startTestServer()
  const [alice, bob] = [await server.user('alice'), await server.user('bob')]
  let count = 0

  /** A project of Alice, with Bob as a member at a level. */
  async function projectWithBob(level = 0) {
    count += 1
    const project = await server.make.project(`p${count}`, alice)
    if (level > 0) await server.make.member({ project }, bob, level)
    return { id: project.id, path: `/projects/${project.id}`, name: project.name }
  }

  return { server, hands: handsOn(server), alice, bob, projectWithBob }
}

export type AliceAndBob = Awaited<ReturnType<typeof startWithAliceAndBob>>

/** A server with an owner of projects, the maintainer of those that are made here, and a user without a role in any. */
export async function startWithMaintainer() {
  const server = await startTestServer()
  const [owner, maintainer] = [await server.user('owner'), await server.user('maintainer')]
  const outsider = await server.user('outsider')

  /** A project of the owner with the maintainer in it. */
  async function made(path: string, visibility: Visibility = 'private'): Promise<ProjectRow> {
    const project = await server.make.project(path, owner, { visibility })
    await server.make.member({ project }, maintainer, 40)
    return project
  }

  return { server, hands: handsOn(server), owner, maintainer, outsider, made }
}

export type WithMaintainer = Awaited<ReturnType<typeof startWithMaintainer>>

/** Status and message of an answer, which is what most refusals consist of. */
export async function messageOf(answer: Promise<Answer>): Promise<[status: number, message: unknown]> {
  const { status, body } = await answer
  return [status, body.message]
}
