import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ignoreMissing } from '../infra/files/index.ts'
import { randomHex } from '../infra/secrets/index.ts'
import { type Credentials, Refused, type RunnerClient } from './protocol/client.ts'

/** Why a runner cannot begin. `message` is a sentence. */
export class NotRegistered extends Error {}

/** What is stored: which program this is, and the token of its runner on each server. */
type Stored = { systemId: string; runners: Record<string, { id: number; token: string }> }

export type Registration = {
  /** The file that keeps the token for the next start; only its owner may read it. */
  file: string
  /** Token of a runner that exists; undefined: that of the file, or of a new runner. */
  token: string | undefined
  /** Token of an administrator, who may create a runner of the instance; undefined: it is not known. */
  administratorToken: string | undefined
  /** Where that token is looked for. */
  administratorTokenFile: string
  description: string
  tags: string[]
}

export type Registered = Credentials & { id: number; isNew: boolean }

async function readStored(file: string): Promise<Stored> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing)
  if (text === null) return { systemId: `s_${randomHex(6)}`, runners: {} }
  try {
    const { systemId, runners } = JSON.parse(text)
    if (typeof systemId === 'string' && typeof runners === 'object' && runners !== null) return { systemId, runners }
  } catch {}
  throw new NotRegistered(`${file} is damaged: delete it to register a new runner`)
}

/** The file is replaced as a whole, so that a crash leaves the former one. */
async function writeStored(file: string, stored: Stored): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${randomHex(8)}`
  try {
    await writeFile(unfinished, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Creates a runner of the instance. @throws NotRegistered, ServerUnreachable */
async function create(client: RunnerClient, given: Registration): Promise<{ id: number; token: string }> {
  const { administratorToken, administratorTokenFile: file, description, tags } = given
  if (!administratorToken) {
    throw new NotRegistered(
      `${file} has no token of an administrator: start the server first, or give the token of a runner, --token glrt-…`,
    )
  }
  return client.createRunner(administratorToken, { description, tag_list: tags }).catch((error) => {
    if (!(error instanceof Refused)) throw error
    if (error.status === 401) throw new NotRegistered(`${client.url} refuses the token in ${file}`)
    if (error.status === 403) throw new NotRegistered(`the token in ${file} is not that of an administrator`)
    throw new NotRegistered(`${client.url} does not create a runner: ${error.message}`)
  })
}

/** @throws NotRegistered when the server does not know the token, ServerUnreachable */
async function verify(client: RunnerClient, credentials: Credentials, origin: string): Promise<number> {
  return client.verify(credentials).catch((error) => {
    if (!(error instanceof Refused)) throw error
    if (error.status === 403) throw new NotRegistered(`${client.url} refuses the token of the runner ${origin}`)
    throw new NotRegistered(`${client.url} does not verify the runner: ${error.message}`)
  })
}

/**
 * Finds the runner that this program is on a server: by a given token, by that of the start before, or a new one.
 * @throws NotRegistered, ServerUnreachable
 */
export async function register(client: RunnerClient, given: Registration): Promise<Registered> {
  const stored = await readStored(given.file)
  const { systemId, runners } = stored
  const known = Object.hasOwn(runners, client.url) ? runners[client.url] : undefined
  const isNew = given.token === undefined && known === undefined
  const made = isNew ? await create(client, given) : undefined
  const token = given.token ?? known?.token ?? made?.token ?? ''
  if (made) await writeStored(given.file, { systemId, runners: { ...runners, [client.url]: made } })
  const origin = given.token === undefined ? `in ${given.file}; delete the file to register a new one` : 'in --token'
  const id = await verify(client, { token, systemId }, origin)
  if (!made) await writeStored(given.file, { systemId, runners: { ...runners, [client.url]: { id, token } } })
  return { id, token, systemId, isNew }
}
