export { longestUnlockPeriod } from './areas/credentials.ts'
export { type BranchProtectionDefaults, branchProtectionDefaults, initialBranchName } from './branch-defaults.ts'
export { type InstanceDefinitions, instanceDefinitions, visibilityLevels } from './definitions.ts'
export { keptSettings } from './kept/index.ts'
export { createSettings, type InstanceSettings, type Settings, type SettingsRecord, storedSetting } from './service.ts'
export {
  changedValues,
  choice,
  type Definitions,
  defaultsOf,
  differing,
  flag,
  limitOrNone,
  line,
  lineOrNone,
  lines,
  matching,
  mergeDefinitions,
  paramsOf,
  proseOrNone,
  quantity,
  type Setting,
  type SettingChanges,
  type SettingValues,
  settingProblems,
  type ValueSchema,
} from './setting.ts'
