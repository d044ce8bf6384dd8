import { instance, nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { listDefinitions, listFeatures, resetFeature, setFeature } from './features.ts'
import { featureChange, targetNames } from './params.ts'
import { Feature, FeatureDefinition } from './present.ts'

const shared = {
  offerings: ['self-managed', 'dedicated'],
  tag: 'Features',
  subject: instance,
  allow: 'administrator',
} as const

export const featuresList = operation({
  ...shared,
  id: 'features.list',
  contract: '2.24',
  method: 'GET',
  path: '/features',
  summary: 'List the feature flags that were set',
  scopes: reading,
  result: [200, pageOf(Feature)],
  run: ({ platform, page }) => listFeatures(platform, page),
})

export const featuresDefinitions = operation({
  ...shared,
  id: 'features.definitions',
  contract: '2.25',
  method: 'GET',
  path: '/features/definitions',
  summary: 'List the definitions of feature flags',
  scopes: reading,
  result: [200, pageOf(FeatureDefinition)],
  run: async ({ page }) => listDefinitions(page),
})

export const featuresSet = operation({
  ...shared,
  id: 'features.set',
  contract: '2.26',
  method: 'POST',
  path: '/features/:name',
  summary: 'Set a feature flag',
  description: 'Turns it on or off for all, for a percentage, or for targets. Creates the flag.',
  scopes: writing,
  params: featureChange,
  exclusive: targetNames.map((name) => ['key', name] as const),
  result: [201, Feature],
  run: ({ platform, params: { name, ...change }, actor }) => setFeature(platform, name, change, actor),
})

export const featuresDelete = operation({
  ...shared,
  id: 'features.delete',
  contract: '2.27',
  method: 'DELETE',
  path: '/features/:name',
  summary: 'Delete what was set for a feature flag',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, params, actor }) => resetFeature(platform, params.name, actor),
})
