import { createApi, instance, type Operation, pageOf, type Service } from '../../../api/index.ts'
import { requestFolder } from '../../../config.ts'
import { operation, type Platform, perPlatform } from '../../../platform/index.ts'
import { listFailures } from '../failures/failures.ts'
import { ProjectFailure } from '../failures/present.ts'
import { failureFilter } from '../nodes/params.ts'
import type { Naming } from '../nodes/present.ts'
import { secondaryOf } from '../secondary/state.ts'
import { ownStatus } from '../secondary/status.ts'
import { ReplicationNodeStatus, ReplicationSiteStatus } from '../status/fields.ts'

// The primary has decided already who may ask.
const shared = {
  method: 'GET',
  tag: 'Replication sites',
  subject: instance,
  allow: 'public',
  scopes: [],
  ownAuthentication: true,
} as const

function operationsOf(naming: Naming, deprecated: boolean): Operation[] {
  return [
    operation({
      ...shared,
      deprecated,
      id: `${naming}.current_status`,
      contract: 'x.geo_current_status',
      path: `/${naming}/current/status`,
      summary: 'Get the status of the server that is asked',
      result: [200, naming === 'geo_nodes' ? ReplicationNodeStatus : ReplicationSiteStatus],
      run: ({ platform }) => ownStatus(platform, secondaryOf(platform), naming),
    }),
    operation({
      ...shared,
      deprecated,
      id: `${naming}.failures`,
      contract: 'x.geo_failures',
      path: `/${naming}/current/failures`,
      summary: 'List the failures of the server that is asked',
      params: failureFilter,
      result: [200, pageOf(ProjectFailure)],
      run: ({ platform, params, page }) => listFailures(platform, params, page),
    }),
  ]
}

const noAuthentication = () => Promise.reject(new Error('callers were authenticated by the primary'))
const smallBytes = 65_536

const apis = perPlatform((): { api?: Service } => ({}))

/** What a secondary answers itself (contract 15, "Requests to a secondary"). */
export function localApi(platform: Platform): Service {
  const state = apis(platform)
  state.api ??= createApi({
    platform,
    operations: [...operationsOf('geo_nodes', true), ...operationsOf('geo_sites', false)],
    externalUrl: platform.externalUrl,
    authenticator: { authenticate: noAuthentication, impersonate: noAuthentication },
    throttle: async () => undefined,
    throttleText: async () => null,
    bodyLimits: {
      clock: platform.clock,
      bodyBytes: smallBytes,
      multipart: { fileBytes: smallBytes, fieldBytes: smallBytes, folder: requestFolder(platform.config) },
    },
  })
  return state.api
}
