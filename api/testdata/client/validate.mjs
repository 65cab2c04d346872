// Says what is wrong with the OpenAPI description in a file, by another implementation.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/`);
const { Validator } = await import(require.resolve("@seriousme/openapi-schema-validator"));
const validator = new Validator();
const result = await validator.validate(JSON.parse(readFileSync(process.argv[3], "utf8")));
if (!result.valid || validator.version !== "3.1") {
  console.error(validator.version, JSON.stringify(result.errors, null, 2));
  process.exit(1);
}
