import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { ignoreMissing, syncDirectory } from '../infra/files/index.ts'
import { createPrivateFile, keyIdOf, readInstanceKey, secretKeyName } from '../infra/secrets/index.ts'
import { PromotionRefused } from './refused.ts'

/** The file of the secret key, in the data folder and in backups. */
/** The name that the secret key of the secondary gets. Nothing needs it any more. */
const formerName = 'secret-key.secondary'
const hostKeyFile = 'ssh/ssh_host_ed25519_key'

export type KeyFile = { file: string; content: Buffer }

/** How the keys of the primary come to this server. */
export type Keys = {
  /** The instance key of the primary. */
  key: Buffer | string
  /** Whether clients of SSH find the host keys that they know. */
  hasHostKeys: boolean
  /** Writes what is missing. Doing so twice changes nothing. */
  place(): Promise<void>
}

const asKey = ({ content }: KeyFile): Buffer => Buffer.from(content.toString('utf8').trim(), 'hex')

/** Where the key has to come from when it is not here. */
const wayOut = ({ data }: Config) =>
  `place the file ${secretKeyName} of the primary in ${data}, or set FENNEC_SECRET_KEY as it was set there`

/**
 * Looks for the keys without which the database of the primary is of little use.
 * @param wantedId public id of the secret key of the database; null when it has none
 * @param files those that the backup has
 * @throws PromotionRefused when the secret key is not to be had
 */
export async function findKeys(config: Config, wantedId: string | null, files: readonly KeyFile[]): Promise<Keys> {
  const { data, secretKey } = config
  const own = await readInstanceKey({ dataFolder: data, configured: secretKey })
  const inBackup = files.find(({ file }) => file === secretKeyName)
  const isOwn = own !== null && (wantedId === null || keyIdOf(own) === wantedId)
  if (!isOwn && secretKey !== undefined) {
    throw new PromotionRefused(`FENNEC_SECRET_KEY is not that of the primary, whose secrets are in the database`)
  }
  if (!isOwn && !inBackup) throw new PromotionRefused(`the secret key of the primary is not here: ${wayOut(config)}`)
  const others = files.filter(({ file }) => file !== secretKeyName)
  const hasHostKey = (await readFile(join(data, hostKeyFile)).catch(ignoreMissing)) !== null
  return {
    key: isOwn ? own : asKey(inBackup as KeyFile),
    hasHostKeys: hasHostKey || others.some(({ file }) => file === hostKeyFile),
    async place() {
      if (!isOwn && own !== null) {
        await rename(join(data, secretKeyName), join(data, formerName))
        await syncDirectory(data)
      }
      const missing = isOwn ? others : files
      for (const { file, content } of missing) {
        const target = join(data, file)
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        // What is there already is not replaced.
        await createPrivateFile(target, content.toString('utf8'))
      }
    },
  }
}
