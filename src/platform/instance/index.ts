import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import { ignoreMissing } from '../../infra/files/index.ts'
import { keyIdOf, loadInstanceKey, readInstanceKey, secretKeyName } from '../../infra/secrets/index.ts'
import { folderId } from '../repositories/index.ts'
import { promotionProblem } from './promoting.ts'
import { factNamed, recordFact } from './store.ts'

export { beginPromotion, begunPromotion, endPromotion, recordPromoted } from './promoting.ts'
export { forgetBackups, forgetPlaces, recordBackup, selectBackups } from './store.ts'
export { forgetSuperseded, readSuperseded, recordSuperseded, type Superseded, superseded } from './superseded.ts'
export type { BackupRow } from './tables.ts'

/** Public id of the secret key that a database needs; null when it has none yet. */
export const secretKeyIdOf = (db: Reader): Promise<string | null> => factNamed(db, secretKeyName)

/** This node does not fit the others of the installation. */
class NotOfThisInstallation extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotOfThisInstallation'
  }
}

const hostKeyFiles = ['ssh_host_ed25519_key', 'ssh_host_ecdsa_key', 'ssh_host_rsa_key']

/** Records a fact at the first start, and compares it at all others. */
async function expectFact(database: Database, name: string, value: string, message: string): Promise<void> {
  const known = await factNamed(database.read, name)
  const recorded = known ?? (await database.write((tx) => recordFact(tx, { name, value })))
  if (recorded !== value) throw new NotOfThisInstallation(message)
}

async function expectSecretKey(database: Database, { data, secretKey }: Config): Promise<void> {
  const place = { dataFolder: data, configured: secretKey }
  const name = secretKeyName
  const where = `give it the same FENNEC_SECRET_KEY, or the same file ${join(data, secretKeyName)}, as the other nodes`
  const present = await readInstanceKey(place)
  if (!present && (await factNamed(database.read, name)) !== null) {
    throw new NotOfThisInstallation(`this node has no secret key, but its installation has one: ${where}`)
  }
  const id = keyIdOf(present ?? (await loadInstanceKey(place)))
  await expectFact(database, name, id, `the secret key of this node is not that of its installation: ${where}`)
}

async function expectFolder(database: Database, name: string, path: string): Promise<void> {
  const message =
    `the folder ${path} (${name}) is not the one that this installation uses; all nodes share one. ` +
    'Where it replaces that one on all nodes, run: fennec instance forget'
  await expectFact(database, name, await folderId(path), message)
}

/**
 * Checks that this node has the secret key and the folders of its installation. The first start records them in the database.
 * @throws NotOfThisInstallation with one sentence that says what differs, or that the places belong to another database
 */
export async function expectOwnPlaces(database: Database, config: Config): Promise<void> {
  const problem = await promotionProblem(database.read)
  if (problem !== null) throw new NotOfThisInstallation(problem)
  await expectSecretKey(database, config)
  for (const [name, path] of Object.entries(config.storages)) await expectFolder(database, `storage ${name}`, path)
  if (config.objectsUrl.startsWith('file:')) await expectFolder(database, 'objects', fileURLToPath(config.objectsUrl))
}

/**
 * Checks the SSH host keys of this node, and records those that are new.
 * @throws NotOfThisInstallation when one differs, or is missing
 */
export async function expectOwnHostKeys(database: Database, folder: string): Promise<void> {
  for (const file of hostKeyFiles) {
    const path = join(folder, file)
    const message =
      `${path} is missing, or is not that of the other nodes: copy it from one of them. ` +
      'To replace the host keys of all nodes, run: fennec instance forget'
    const key = await readFile(path, 'utf8').catch(ignoreMissing)
    const isKnown = (await factNamed(database.read, file)) !== null
    if (key === null && isKnown) throw new NotOfThisInstallation(message)
    if (key !== null) await expectFact(database, file, keyIdOf(key), message)
  }
}
