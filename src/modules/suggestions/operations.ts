import { instance, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { Suggestion } from '../notes/index.ts'
import { applySuggestion, requireApplier } from './apply.ts'

export const suggestionsApply = operation({
  id: 'suggestions.apply',
  contract: 'x.suggestion_apply',
  method: 'PUT',
  path: '/suggestions/:id/apply',
  tag: 'Suggestions',
  summary: 'Apply a suggestion',
  subject: instance,
  allow: 'authenticated',
  scopes: writing,
  params: { id: t.id(), commit_message: t.string({ description: 'Default by the template of the project.' }) },
  result: [200, Suggestion],
  permits: ({ platform, actor, params }) => requireApplier(platform, actor, params.id ?? 0),
  run: ({ platform, actor, params }) => applySuggestion(platform, actor, params.id, params.commit_message),
})
