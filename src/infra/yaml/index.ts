/** Parses untrusted YAML, and writes YAML. */
export { parseYaml, toYaml, YamlError, type YamlListTag } from './parse.ts'
