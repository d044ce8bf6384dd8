import type { Module } from '../../platform/index.ts'
import { suggestionsApply, suggestionsApplySeveral } from './operations.ts'

export { suggestionsApply, suggestionsApplySeveral } from './operations.ts'
export { followSuggestions, suggestionsOfNotes } from './suggestions.ts'

/** Suggestions of other lines in reviews (contract 25, "Suggestions"). */
export const suggestions: Module = {
  name: 'suggestions',
  tags: { Suggestions: 'Lines that notes on merge requests suggest in place of others.' },
  operations: [suggestionsApply, suggestionsApplySeveral],
}
