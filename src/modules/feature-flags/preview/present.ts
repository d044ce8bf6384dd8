import { nullable, Type } from '../../../api/index.ts'

/** For whom a feature flag is on in an environment (contract 24, FlagPreview). */
export const FlagPreview = Type.Object(
  {
    name: Type.String(),
    active: Type.Boolean(),
    strategies: Type.Array(Type.String(), {
      description: 'Names of those that apply to the environment, as clients get them.',
    }),
    percentage: Type.Integer({ description: 'Of all users, by the strategy that has the most.' }),
    users: Type.Array(Type.String(), { description: 'The first 100 users that strategies name.' }),
    users_count: Type.Integer(),
    on: nullable(Type.Boolean()),
  },
  { title: 'FeatureFlagPreview' },
)
