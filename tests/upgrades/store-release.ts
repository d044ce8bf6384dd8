/**
 * `npm run release:store`: stores the data folder of the release that is about to be made, and a backup of it, for the tests of
 * all later releases. Its content is the world of `fennec demo`. Run it once for each release, at the commit that gets the tag.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pino } from 'pino'
import { createBackup } from '../../src/backup/index.ts'
import { silent } from '../../src/backup/testing.ts'
import { programVersion } from '../../src/cli/version.ts'
import { memoryConfig, readConfig } from '../../src/config.ts'
import { fillDemo } from '../../src/demo/index.ts'
import { systemClock } from '../../src/infra/clock/index.ts'
import { writeZip } from '../../src/runner/files/zip.ts'
import { releases, tokenOfRoot } from './releases.ts'

const working = await mkdtemp(join(tmpdir(), 'fennec-release-'))
try {
  const data = join(working, 'data')
  const config = { ...memoryConfig(readConfig({}), data), rootToken: tokenOfRoot }
  const log = pino({ level: 'silent' })
  await fillDemo({ config, log, start: systemClock.now(), durable: true })
  const backup = join(working, 'backup')
  await createBackup({ config, path: backup, clock: systemClock, progress: silent })
  const target = join(releases, programVersion())
  await mkdir(target, { recursive: true })
  const paths = (await readdir(data, { recursive: true })).toSorted()
  await writeZip(join(target, 'data.zip'), data, paths, AbortSignal.timeout(60_000))
  await pipeline(createReadStream(backup), createGzip({ level: 9 }), createWriteStream(join(target, 'backup.gz')))
} finally {
  await rm(working, { recursive: true, force: true })
}
