import { Type } from '../../../api/index.ts'

/** What an Unleash client gets (contract 24, UnleashFeatures). */
export const UnleashFeatures = Type.Object(
  {
    version: Type.Integer(),
    features: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          description: Type.Optional(Type.String()),
          enabled: Type.Boolean(),
          strategies: Type.Array(
            Type.Object(
              { name: Type.String(), parameters: Type.Record(Type.String(), Type.String()) },
              { title: 'UnleashStrategy' },
            ),
          ),
        },
        { title: 'UnleashFeature' },
      ),
    ),
  },
  { title: 'UnleashFeatures' },
)
