/** Nodes that do not have what the others of their installation have. */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startApp } from '../src/app.ts'
import { type Config, memoryConfig, readConfig } from '../src/config.ts'
import { openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { forgetPlaces } from '../src/platform/instance/index.ts'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { temporaryDirectory } from '../src/testing/index.ts'

async function startAndStop(config: Config): Promise<void> {
  const app = await startApp({ config, log: pino({ level: 'silent' }), durable: false })
  await app.stop()
}

test('a node with another key or other folders does not start', async () => {
  await using folder = await temporaryDirectory()
  const database = await makeFreshDatabase()
  const nodeIn = (name: string, more: Partial<Config> = {}): Config => ({
    ...memoryConfig(readConfig({}), join(folder.path, name)),
    listen: { host: '127.0.0.1', port: 0 },
    databaseUrl: database.url,
    ...more,
  })
  const first = nodeIn('first', { sshListen: { host: '127.0.0.1', port: 0 } })
  await startAndStop(first)
  await startAndStop(first)

  const second = nodeIn('second')
  await expect(startAndStop(second)).rejects.toThrow('this node has no secret key, but its installation has one')
  const otherKey = { ...second, secretKey: 'another secret key, which is long enough' }
  await expect(startAndStop(otherKey)).rejects.toThrow('the secret key of this node is not that of its installation')
  await copyFile(join(first.data, 'secret-key'), join(second.data, 'secret-key'))
  const otherFolder = `the folder ${second.storages.default} (storage default) is not the one that this installation uses`
  await expect(startAndStop(second)).rejects.toThrow(otherFolder)
  const { storages, objectsUrl, sshListen } = first
  await expect(startAndStop({ ...second, storages })).rejects.toThrow('(objects) is not the one')
  await startAndStop({ ...second, storages, objectsUrl })
  const withSsh = { ...second, storages, objectsUrl, sshListen }
  await expect(startAndStop(withSsh)).rejects.toThrow(
    'ssh_host_ed25519_key is missing, or is not that of the other nodes',
  )
  await mkdir(join(second.data, 'ssh'), { recursive: true })
  for (const kind of ['ed25519', 'ecdsa', 'rsa']) {
    const file = `ssh/ssh_host_${kind}_key`
    await copyFile(join(first.data, file), join(second.data, file))
  }
  await startAndStop(withSsh)

  const opened = await openDatabase({ url: database.url, migrations })
  await opened.write((tx) => forgetPlaces(tx))
  await opened.close()
  await startAndStop(second)
  await expect(startAndStop(first)).rejects.toThrow('(storage default) is not the one that this installation uses')
  await database.remove()
})
