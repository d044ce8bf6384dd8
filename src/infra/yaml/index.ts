/** Parses untrusted YAML. */
export { parseYaml, YamlError, type YamlListTag } from './parse.ts'
