// A transform for the AssemblyScript compiler: a function whose docstring says @inline is inlined where it is
// called. (The compiler's own way, a decorator, is no valid TypeScript on a function.)
import { Node, NodeKind } from 'assemblyscript';
import { Transform } from 'assemblyscript/transform';

/** A docstring that says so, directly before the function. */
const MARK = /@inline(?:(?!\*\/)[\s\S])*\*\/\s*(?:export\s+)?$/;

export default class InlineTransform extends Transform {
  afterParse(parser) {
    for (const source of parser.sources) {
      for (const statement of source.statements) {
        if (statement.kind !== NodeKind.FunctionDeclaration) continue;
        if (!MARK.test(source.text.slice(0, statement.range.start))) continue;
        const { range } = statement.name;
        const name = Node.createIdentifierExpression('inline', range);
        statement.decorators = [...(statement.decorators ?? []), Node.createDecorator(name, null, range)];
      }
    }
  }
}
