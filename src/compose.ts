import { type Operation, openapiOperation } from './api/index.ts'
import { composeGround } from './compose/ground.ts'
import { composeTransport } from './compose/transport.ts'
import type { Floor } from './floor.ts'
import { gitRoutes } from './modules/git-transport/index.ts'
import { lfsRoutes } from './modules/lfs/index.ts'
import { wikiOf } from './modules/wikis/index.ts'
import { modules } from './modules.ts'
import { registerJobs } from './platform/index.ts'
import { tags } from './tags.ts'

/** Puts the modules together, each with what it needs, and returns what they offer. */
export function composeModules(floor: Floor) {
  const { version } = floor.config
  const { externalUrl } = floor
  const ground = composeGround(floor)
  const transport = composeTransport(ground, { wikiOf: wikiOf(ground) })
  const routes = [...gitRoutes, ...lfsRoutes, ...modules.flatMap(({ routes = [] }) => routes)]
  for (const { jobs = [] } of modules) registerJobs(floor, jobs)
  const operations: Operation[] = [
    // Copies: a test may put something in place of an operation of its server.
    ...modules.flatMap((module) => module.operations.map((operation) => ({ ...operation }))),
  ]
  operations.push(openapiOperation({ operations: () => operations, routes, externalUrl, version, tags }))
  return {
    operations,
    routes,
    ...transport,
    services: modules.flatMap(({ services = [] }) => services.map((open) => open(floor))),
  }
}
