import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../files/index.ts'
import { deriveKey, KEY_BYTES } from './keys.ts'
import { createPrivateFile } from './private-file.ts'

const MIN_CONFIGURED_CHARACTERS = 16

/**
 * Loads the key with which this installation seals and signs (design §4). Without it, sealed values cannot be opened.
 * @param dataFolder folder of the file `secret-key`, which is created when nothing is configured (64 hex digits, mode 0600)
 * @param configured FENNEC_SECRET_KEY: a secret text, the same for all nodes of an installation
 * @returns 32 bytes
 * @throws Error when the configured text is shorter than 16 characters, or the file is not a key
 */
export async function loadInstanceKey(place: KeyPlace): Promise<Buffer> {
  return (await readInstanceKey(place)) ?? createKey(place.dataFolder, keyFile(place.dataFolder))
}

type KeyPlace = { dataFolder: string; configured?: string | undefined }

/** The file of the instance key in the data folder, and the name of the key where it is recorded. */
export const secretKeyName = 'secret-key'

const keyFile = (dataFolder: string) => join(dataFolder, secretKeyName)

/** As `loadInstanceKey`; null when nothing is configured and there is no file yet. */
export async function readInstanceKey({ dataFolder, configured }: KeyPlace): Promise<Buffer | null> {
  if (configured !== undefined) {
    if (configured.length < MIN_CONFIGURED_CHARACTERS) {
      throw new Error(`FENNEC_SECRET_KEY must have at least ${MIN_CONFIGURED_CHARACTERS} characters`)
    }
    return deriveKey(configured, 'instance key')
  }
  return readKey(keyFile(dataFolder))
}

async function readKey(path: string): Promise<Buffer | null> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  if (text === null) return null
  if (!/^[0-9a-f]{64}\n?$/.test(text)) throw new Error(`${path} is damaged: it must hold 64 hexadecimal digits`)
  return Buffer.from(text.trim(), 'hex')
}

async function createKey(dataFolder: string, path: string): Promise<Buffer> {
  await mkdir(dataFolder, { recursive: true })
  await createPrivateFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`)
  const key = await readKey(path)
  if (!key) throw new Error(`${path} could not be created`)
  return key
}
