/** Parses untrusted YAML. */
export { parseYaml, YamlError, type YamlOptions } from './parse.ts'
