import { type Setting, settings } from '../../src/config/settings.ts'
import { tableOf } from './markdown.ts'

const defaultOf = (setting: Setting) =>
  setting.default === undefined ? (setting.otherwise ?? 'none') : `\`${setting.default}\``

/** `docs/settings.md`: all settings, from the values that the server reads. */
export function settingsDocument(): string {
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => [
    `\`${name}\``,
    defaultOf(setting),
    setting.description,
  ])
  return `# Settings

Settings are variables of the environment. They override the JSON file that \`FENNEC_CONFIG\` names, which overrides these defaults. An
invalid or unknown setting stops the start with one line that names it. \`fennec config\` prints what holds, secrets masked. Durations are
written as \`90s\`, \`30m\`, \`24h\` or \`7d\`. \`npm run docs\` writes this file from \`src/config/settings.ts\`.

${tableOf(['setting', 'default', 'meaning'], rows)}
`
}
