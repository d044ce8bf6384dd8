/**
 * `npm run bench:growth [folder] [size …]`: every list of every domain, with each filter and order, in instances of several sizes.
 * The folder keeps what is filled, and the measurements (`<engine>-<size>.json`). `FENNEC_BENCH_POSTGRES=postgres://…` measures on
 * that PostgreSQL, `GROWTH_ONLY=<regular expression>` only the requests whose path matches,
 * and `GROWTH_ONLY=defaults` those without filters.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { resolve } from 'node:path'
import { measure } from './measure.ts'
import { type Request, requestsOf } from './requests.ts'
import { type SizeName, sizes } from './size.ts'
import { openWorld } from './world.ts'

/** Where and when lists were measured. */
export type About = { commit: string; machine: string; load: string }

function about(): About {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const machine = `${cpus().length} processors, ${cpus()[0]?.model ?? 'unknown'}`
  return { commit, machine, load: loadavg()[2]?.toFixed(0) ?? '' }
}

const [folder = 'data/growth', ...names] = process.argv.slice(2)
const server = process.env.FENNEC_BENCH_POSTGRES
const only = process.env.GROWTH_ONLY
const isWanted = ({ path }: Request) =>
  only === 'defaults' ? !path.includes('?') : !only || new RegExp(only).test(path)
const engine = server ? 'postgres' : 'sqlite'
await mkdir(folder, { recursive: true })
for (const name of (names.length > 0 ? names : ['small', 'large']) as SizeName[]) {
  const say = (text: string) => process.stdout.write(`${engine} ${name}: ${text}\n`)
  const world = await openWorld(resolve(folder, `${engine}-${name}`), name, server, say)
  const { requests, left } = requestsOf(sizes[name])
  const asked = requests.filter(isWanted)
  let count = 0
  const measured = await measure(world, asked, ({ who, path, ms, queries, status }) => {
    count += 1
    if (count % 500 === 0) say(`${count} of ${asked.length}`)
    if (only || ms > 100 || (status && status !== 403))
      say(`${status ?? ''} ${ms.toFixed(1)} ms ${queries} queries ${path} as ${who}`)
  })
  const file = only && only !== 'defaults' ? `${engine}-${name}-part.json` : `${engine}-${name}.json`
  await writeFile(resolve(folder, file), JSON.stringify({ left, measured, about: about() }))
  await world.stop()
}
