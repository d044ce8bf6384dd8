export { type PushRuleGateNeeds, pushRulesRule } from './gate-rule.ts'
export { pushRuleOperations } from './operations.ts'
export { createPushRules, type PushRuleNeeds, type PushRules } from './push-rules.ts'
export { tagNameRule } from './tag-rules.ts'
