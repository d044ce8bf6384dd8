/** Helpers for the tests of pushes: a repository behind a gate, and pushes as hostile clients write them. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { Oid } from '../model/names.ts'
import type { PushGate, ReceivePackOptions } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { type ClientResult, git, openGate, runGit, serve, type TestGit } from '../testing.ts'

/** A repository behind a gate, its server, and a work tree with one commit and the remote `origin`. */
export async function setUpPush(
  own: TestGit,
  overrides: Partial<PushGate> = {},
  options: Partial<ReceivePackOptions> = {},
) {
  const repository = await own.newRepository()
  const gate = openGate(overrides)
  const server = await serve(repository, gate, options)
  const work = await own.newDirectory()
  await git(['init', '--quiet', '--initial-branch=main', work])
  await git(['remote', 'add', 'origin', server.url], { cwd: work })
  await commitEmpty(work, 'first')
  const push = (...args: string[]): Promise<ClientResult> => runGit(['push', 'origin', ...args], { cwd: work })
  return { repository, gate, server, work, push, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

export async function commitEmpty(work: string, message: string): Promise<Oid> {
  await git(['commit', '--quiet', '--allow-empty', '-m', message], { cwd: work })
  return (await git(['rev-parse', 'HEAD'], { cwd: work })) as Oid
}

/** The visible and the stored state of a repository. */
export async function stateOf(repository: Repository) {
  const { branches } = await repository.refs(Math.random())
  const objects = await readdir(join(repository.directory, 'objects'))
  const packs = await readdir(join(repository.directory, 'objects/pack'))
  return { branches, objects: objects.toSorted(), packs, fsck: await repository.fsck() }
}

/** The state of an empty repository, without a quarantine. */
export const untouched = { branches: [], objects: ['info', 'pack'], packs: [], fsck: { ok: true, problems: [] } }

/** One pkt-line. */
export function packet(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** A push as a hostile client writes it: commands as given, and an empty pack. */
export function pushRequest(commands: (string | Buffer)[]): Buffer {
  const [first = '', ...others] = commands
  const capabilities = Buffer.from('\0report-status side-band-64k')
  const lines = [Buffer.concat([Buffer.from(first), capabilities]), ...others].map(packet)
  const body = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()])
  return Buffer.concat([...lines, Buffer.from('0000'), pack])
}

export async function rawPush(repository: Repository, gate: PushGate, commands: (string | Buffer)[]): Promise<string> {
  const input = Readable.from([pushRequest(commands)])
  const output = new PassThrough()
  const text = output.toArray().then((chunks) => Buffer.concat(chunks).toString('latin1'))
  await repository.receivePack({ stateless: true, gate }, input, output)
  return text
}
