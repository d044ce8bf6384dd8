import { reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { FlagPreview } from './present.ts'
import { previewFlags } from './preview.ts'

export const featureFlagsPreview = operation({
  tag: 'Feature flags',
  subject: project,
  allow: 'read_feature_flags',
  scopes: reading,
  id: 'feature_flags.preview',
  contract: 'x.feature_flags_preview',
  method: 'GET',
  path: '/projects/:id/feature_flags_preview',
  summary: 'Tell for whom the feature flags are on in an environment',
  description:
    'As Unleash clients decide it. `on` is null without a user, and where clients decide by session or by chance.',
  params: {
    environment: t.string({ maxLength: 255, description: 'Without it: as a client that names none.' }),
    user: t.string({ maxLength: 256, description: 'The id of a user in the application.' }),
  },
  result: [200, Type.Array(FlagPreview)],
  run: ({ platform, subject, params }) => previewFlags(platform, subject, params),
})
