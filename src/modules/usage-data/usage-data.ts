import { createHash } from 'node:crypto'
import type { Raw } from '../../api/index.ts'
import { type Platform, perPlatform } from '../../platform/index.ts'
import { secretKeyIdOf } from '../../platform/instance/index.ts'
import { countNames, countUsage, describeCount } from './store.ts'

const cachedMs = 3_600_000

type Counted = { atMs: number; usage: ReturnType<typeof count> }

const cached = perPlatform<{ counted?: Counted }>(() => ({}))

/** An id of the installation in the form of a UUID, the same at each start and on each node. */
async function instanceUuid({ database }: Platform): Promise<string> {
  const digest = createHash('sha256')
    .update((await secretKeyIdOf(database.read)) ?? '')
    .digest('hex')
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

async function count(platform: Platform) {
  const { database, clock, config, externalUrl } = platform
  const { active_users, ...counts } = await countUsage(database.read)
  return {
    recorded_at: clock.now().toISOString(),
    uuid: await instanceUuid(platform),
    hostname: new URL(externalUrl).hostname,
    version: config.version,
    edition: config.version.endsWith('-ee') ? 'EE' : 'CE',
    installation_type: 'fennec',
    active_user_count: active_users,
    license: {},
    settings: {},
    counts,
  }
}

/** What the instance contains, at most an hour old; empty while administrators do not want it (contract 25, x.usage_service_ping). */
export async function servicePing(
  platform: Platform,
): Promise<Awaited<ReturnType<typeof count>> | Record<never, never>> {
  if (!(await platform.settings.current()).usage_ping_enabled) return {}
  const state = cached(platform)
  const nowMs = platform.clock.now().getTime()
  const isFresh = state.counted && nowMs >= state.counted.atMs && nowMs - state.counted.atMs < cachedMs
  if (!isFresh || !state.counted) {
    const counted = { atMs: nowMs, usage: count(platform) }
    state.counted = counted
    counted.usage.catch(() => {
      if (state.counted === counted) delete state.counted
    })
  }
  return state.counted.usage
}

/** What each count means, as YAML (contract 25, x.usage_metric_definitions). */
export function metricDefinitions(): Raw {
  const entries = countNames.map((name) =>
    [
      `- key_path: counts.${name}`,
      `  description: ${describeCount(name)}`,
      '  value_type: number',
      '  status: active',
      '  time_frame: all',
      '  data_source: database',
    ].join('\n'),
  )
  return { headers: { 'Content-Type': 'application/yaml' }, body: `${entries.join('\n')}\n` }
}
