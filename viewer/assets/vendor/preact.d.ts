// The part of preact and htm that these pages use, for the type check.
export interface VNode<P = any> { type: any; props: P; key: any }
export type Child = VNode | string | number | boolean | null | undefined | Child[];
export function h(type: any, props: any, ...children: Child[]): VNode;
export function html(strings: TemplateStringsArray, ...values: any[]): any;
export function render(tree: Child, parent: Element): void;
export function Fragment(props: { children?: Child }): VNode;
export function createContext<T>(value: T): { Provider: any; Consumer: any };
export function useContext<T>(context: { Provider: any }): T;
export function useState<S>(initial: S | (() => S)): [S, (next: S | ((was: S) => S)) => void];
export function useState<S>(): [S | undefined, (next: S | undefined | ((was: S | undefined) => S | undefined)) => void];
export function useReducer<S, A>(reducer: (state: S, action: A) => S, initial: S): [S, (action: A) => void];
export function useEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useRef<T>(initial: T): { current: T };
export function useRef<T = any>(initial: null): { current: T | null };
export function useMemo<T>(make: () => T, inputs?: readonly unknown[]): T;
export function useCallback<F extends Function>(f: F, inputs?: readonly unknown[]): F;
export function useErrorBoundary(callback?: (error: any) => void): [any, () => void];
export function useId(): string;
