import { type Operation, openapiOperation, operationsFor, type ServedRoute, type Service } from './api/index.ts'
import { modules } from './modules.ts'
import { deliverMail, type Module, type Platform, pruneRateWindows, registerJobs } from './platform/index.ts'
import { diskMeasures, type Failing, type OpenMeasure } from './platform/monitoring/index.ts'
import { repositoryJobs } from './platform/repositories/index.ts'

/** What the modules offer on one platform. */
export type Mounted = {
  operations: readonly Operation[]
  /** Documents what the services answer. */
  routes: readonly ServedRoute[]
  services: readonly Service[]
  /** Asked first, by the host of a request. */
  hosts: readonly Service[]
  /** Asked before the API. */
  fronts: readonly Service[]
  measures: readonly OpenMeasure[]
  /** What of the modules does not work now. */
  failing(): Failing[]
  ssh: ReturnType<NonNullable<Module['ssh']>>
  /** Ends what killed processes have left. */
  recover(): Promise<void>
}

/** Registers the jobs of all modules and opens their services. */
export function mountModules(platform: Platform): Mounted {
  const { config, externalUrl } = platform
  registerJobs(platform, [
    ...repositoryJobs,
    pruneRateWindows,
    deliverMail,
    ...modules.flatMap(({ jobs = [] }) => jobs),
  ])
  const routes = modules.flatMap((module) => module.routes ?? [])
  // Copies: a test may replace what an operation of its server does.
  const operations = operationsFor(
    modules.flatMap(({ operations: own }) => own),
    config.edition,
  )
  operations.push(
    openapiOperation({
      operations: () => operations.filter(({ isAbsent }) => !isAbsent),
      routes,
      externalUrl,
      version: config.version,
      tags: Object.assign({}, ...modules.map(({ tags }) => tags ?? {})),
    }),
  )
  const ssh = modules.find((module) => module.ssh)?.ssh
  if (!ssh) throw new Error('no module serves SSH')
  return {
    operations,
    routes,
    hosts: modules.flatMap(({ hosts }) => hosts?.(platform) ?? []),
    fronts: modules.flatMap(({ front }) => front?.(platform) ?? []),
    services: modules.flatMap(({ services = [] }) => services.map((open) => open(platform))),
    measures: [...diskMeasures, ...modules.flatMap(({ measures = [] }) => measures)].map((measure) => ({
      ...measure,
      value: () => measure.value(platform),
    })),
    failing: () => modules.flatMap(({ failing }) => failing?.(platform) ?? []),
    ssh: ssh(platform),
    async recover() {
      for (const { recovers } of modules) await recovers?.(platform)
    },
  }
}

/** Work that lasts as long as the server. */
export type Work = { stop(): Promise<void> }

/** Begins the work of modules that lasts as long as the server. */
export async function startWork(platform: Platform): Promise<Work> {
  const started = await Promise.all(modules.map(({ start }) => start?.(platform)))
  return {
    async stop() {
      await Promise.all(started.map((work) => work?.stop()))
    },
  }
}
