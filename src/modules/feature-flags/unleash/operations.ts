import { instance, type Raw, type RequestInfo, raw, t } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { markUsed } from '../clients/store.ts'
import { authenticateClient, environmentOf } from './authentication.ts'
import { featuresFor } from './delivery.ts'
import { UnleashFeatures } from './present.ts'

const largestReport = 1_048_576

const credential = { instance_id: t.string({ description: 'Without the header `UNLEASH-INSTANCEID`.' }) }
const asking = { ...credential, app_name: t.string({ description: 'Without the header `UNLEASH-APPNAME`.' }) }

const shared = {
  tag: 'Feature flags',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
} as const
const root = '/feature_flags/unleash/:project_id'

const text = { ...raw, mediaType: 'text/plain' } as const
const empty: Raw = { headers: { 'Content-Type': 'text/plain' }, body: '' }

type Asked = { project_id: string; instance_id?: string; app_name?: string }

async function answerFeatures(platform: Platform, request: RequestInfo, params: Asked) {
  const client = await authenticateClient(platform, request, params.project_id, params.instance_id)
  return featuresFor(platform, client, environmentOf(request, params.app_name))
}

/** What clients say about themselves is not stored. */
async function acceptReport(platform: Platform, request: RequestInfo, params: Asked): Promise<Raw> {
  const { project_id: projectId } = await authenticateClient(platform, request, params.project_id, params.instance_id)
  await platform.database.write((tx) => markUsed(tx, projectId, now(platform.clock)))
  return empty
}

export const unleashRoot = operation({
  ...shared,
  id: 'unleash.root',
  contract: 'x.unleash_root',
  method: 'GET',
  path: root,
  summary: 'Check the credential of an Unleash client',
  params: credential,
  result: [200, text],
  async run({ platform, request, params }) {
    await authenticateClient(platform, request, params.project_id, params.instance_id)
    return empty
  },
})

export const unleashFeatures = operation({
  ...shared,
  id: 'unleash.features',
  contract: 'x.unleash_features',
  method: 'GET',
  path: `${root}/client/features`,
  summary: 'List the feature flags for an Unleash client',
  params: asking,
  result: [200, UnleashFeatures],
  run: ({ platform, request, params }) => answerFeatures(platform, request, params),
})

export const unleashOldFeatures = operation({
  ...shared,
  id: 'unleash.old_features',
  contract: 'x.unleash_features_v2',
  method: 'GET',
  path: `${root}/features`,
  summary: 'List the feature flags for an old Unleash client',
  params: asking,
  result: [200, UnleashFeatures],
  run: ({ platform, request, params }) => answerFeatures(platform, request, params),
})

export const unleashRegister = operation({
  ...shared,
  id: 'unleash.register',
  contract: 'x.unleash_register',
  method: 'POST',
  path: `${root}/client/register`,
  summary: 'Register an Unleash client',
  params: credential,
  bytes: true,
  largestBodyBytes: largestReport,
  result: [200, text],
  run: ({ platform, request, params }) => acceptReport(platform, request, params),
})

export const unleashMetrics = operation({
  ...shared,
  id: 'unleash.metrics',
  contract: 'x.unleash_metrics',
  method: 'POST',
  path: `${root}/client/metrics`,
  summary: 'Accept the metrics of an Unleash client',
  params: credential,
  bytes: true,
  largestBodyBytes: largestReport,
  result: [200, text],
  run: ({ platform, request, params }) => acceptReport(platform, request, params),
})
