import { instance, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { Suggestion } from '../notes/index.ts'
import { applySuggestion, applySuggestions, requireApplier } from './apply.ts'

const shared = {
  tag: 'Suggestions',
  subject: instance,
  allow: 'authenticated',
  scopes: writing,
  method: 'PUT',
} as const
const commit_message = t.string({ description: 'Default by the template of the project.' })

export const suggestionsApply = operation({
  ...shared,
  id: 'suggestions.apply',
  contract: 'x.suggestion_apply',
  path: '/suggestions/:id/apply',
  summary: 'Apply a suggestion',
  params: { id: t.id(), commit_message },
  result: [200, Suggestion],
  permits: ({ platform, actor, params }) => requireApplier(platform, actor, [params.id ?? 0]),
  run: ({ platform, actor, params }) => applySuggestion(platform, actor, params.id, params.commit_message),
})

export const suggestionsApplySeveral = operation({
  ...shared,
  id: 'suggestions.apply_several',
  contract: 'x.suggestion_batch_apply',
  path: '/suggestions/batch_apply',
  summary: 'Apply several suggestions in one commit',
  params: {
    ids: t.required(
      t.array(t.integer(), { commaSeparated: true, maximum: 100, description: 'Of suggestions for one branch.' }),
    ),
    commit_message,
  },
  result: [200, Type.Array(Suggestion)],
  permits: ({ platform, actor, params }) => requireApplier(platform, actor, params.ids ?? []),
  run: ({ platform, actor, params }) => applySuggestions(platform, actor, params.ids, params.commit_message),
})
